"""Guards of the console: who is let in, whose form is believed, and what progress may show."""

from tests.mutants.mutant import Mutant

FORMS, SIGNING_IN, SESSIONS = "app/web/forms.py", "app/web/routes/signing_in.py", "app/database/sessions.py"
SIGNS_IN, SEES, MAKES, STORES = (
    f"tests/web/test_{name}.py" for name in ("signing_in", "exports", "new_export", "store")
)
OF_SESSIONS, FOLLOWS = "tests/database/test_sessions.py", "tests/api/test_events.py"
LOOKING, LOOKS = "app/database/looking.py", "tests/database/test_looking.py"

CONSOLE = (
    Mutant(
        "a form that any page may send",
        FORMS,
        "    if secret is None or not hmac.compare_digest(form_token_of(secret).encode(), sent.encode()):\n",
        "    if secret is None:\n",
        "a page of somebody else cancels and deletes in its reader's name",
        (f"{SIGNS_IN}::test_a_form_of_another_site_or_browser_does_nothing",),
    ),
    Mutant(
        "a form that a browser says is another site's",
        FORMS,
        '    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):\n',
        "    if False:\n",
        "what a browser knows of a forged form is not heard",
        (f"{SIGNS_IN}::test_a_form_of_another_site_or_browser_does_nothing",),
    ),
    Mutant(
        "a sign-in that leads anywhere",
        SIGNING_IN,
        "    return path if _OWN_PATH.fullmatch(path) else _HOME\n",
        "    return path\n",
        "a link to us ends at a page that looks like us and asks for the token once more",
        (f"{SIGNS_IN}::test_nobody_is_led_away_by_a_link",),
    ),
    Mutant(
        "a session that outlives its hour",
        SESSIONS,
        "        .where(SessionRow.digest == digest, SessionRow.expires_at > now())\n",
        "        .where(SessionRow.digest == digest)\n",
        "a cookie that was copied once works for ever",
        (f"{OF_SESSIONS}::test_an_expired_session_is_nobodys_and_is_forgotten_at_the_next_sign_in",),
    ),
    Mutant(
        "a session of a token that was revoked",
        "app/database/stores.py",
        "        TokenRow.revoked_at.is_(None),\n        or_(",
        "        or_(",
        "who was shut out goes on in the browser",
        (f"{OF_SESSIONS}::test_a_session_is_its_tokens_owner_until_either_ends",),
    ),
    Mutant(
        "a look without the token's life",
        LOOKING,
        '    .where(TokenRow.digest == bindparam("digest"), is_live())\n',
        '    .where(TokenRow.digest == bindparam("digest"))\n',
        "who was shut out watches on",
        (f"{LOOKS}::test_a_token_that_is_unknown_revoked_or_expired_sees_nothing_at_all",),
    ),
    Mutant(
        "a look without the door",
        LOOKING,
        '(JobRow.id == bindparam("job_id")) & is_owned_by(TokenRow.store_id, TokenRow.owner)',
        'JobRow.id == bindparam("job_id")',
        "anybody with a token watches anybody's export",
        (f"{LOOKS}::test_what_is_another_owners_is_absent_as_what_does_not_exist",),
    ),
    Mutant(
        "sign-ins that may fail for ever",
        "app/web/attempts.py",
        "        if failed is None or len(failed) < MOST:\n",
        "        if True:\n",
        "one caller keeps the database busy with guesses",
        (f"{SIGNS_IN}::test_failed_sign_ins_of_an_address_are_bounded",),
    ),
    Mutant(
        "stored text that is markup",
        "app/web/pages.py",
        "autoescape=select_autoescape(default=True, default_for_string=True)",
        "autoescape=False",
        "an order's number runs as a script in its owner's session",
        (f"{SEES}::test_stored_text_is_text",),
    ),
    Mutant(
        "a form that makes an export each time it is sent",
        "app/web/routes/new_export.py",
        "            key=key,\n            trace_parent=",
        "            key=uuid4().hex,\n            trace_parent=",
        "a double click is refused, or makes two",
        (f"{MAKES}::test_a_form_that_is_sent_twice_makes_one_export",),
    ),
    Mutant(
        "a stream that says the same again and again",
        "app/api/events.py",
        " and _signs(view) != told:",
        ":",
        "every look of the process is an event to every listener",
        (f"{FOLLOWS}::test_a_stream_goes_forward_only_and_ends_with_the_one_final_state",),
    ),
    Mutant(
        "progress that goes back",
        "app/database/packaging.py",
        "        settled_most=max(job.settled_most, job.rendered + job.failed + job.skipped),\n",
        "",
        "a bar that stood at 99 % stands at 40 % a moment later",
        ("tests/database/test_steps.py::test_a_bad_artifact_reopens_its_step_and_takes_the_package_step_away",),
    ),
    Mutant(
        "a store that every token changes in a browser",
        "app/web/routes/store.py",
        "    require_settings(visitor.principal)\n",
        "",
        "who may only look puts another bank account on every invoice",
        (f"{STORES}::test_who_may_not_change_it_sees_it_and_why",),
    ),
    Mutant(
        "a form that is saved over what came meanwhile",
        "app/web/routes/store.py",
        """if_match=f'"{typed.version}"'""",
        "if_match=None",
        "two people save, and what the first one did is gone",
        (f"{STORES}::test_a_stale_form_is_told_what_changed_and_keeps_what_was_typed",),
    ),
    Mutant(
        "a stale form that takes other people's changes back",
        "app/web/store_forms.py",
        "        if base is not None and mine == getattr(base, name):\n",
        "        if False:\n",
        "whoever saves once more undoes what they never touched",
        (f"{STORES}::test_a_stale_form_is_told_what_changed_and_keeps_what_was_typed",),
    ),
    Mutant(
        "a form with files that any page may send",
        "app/web/uploads.py",
        "    require_token(request, form.get(TOKEN))\n    return form, ",
        "    return form, ",
        "a page of somebody else changes the store in its reader's name",
        (f"{STORES}::test_a_form_of_another_site_changes_and_makes_nothing",),
    ),
    Mutant(
        "a document with settings of anybody's",
        "app/api/routes/documents.py",
        "        require_settings(principal)\n",
        "",
        "every token makes invoices that name an account of its choice",
        (
            "tests/api/test_document_previews.py"
            "::test_only_who_may_change_the_store_sees_documents_as_if_it_were_changed",
        ),
    ),
)
