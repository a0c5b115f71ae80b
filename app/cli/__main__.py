"""The command `sheaf`, and `python -m app.cli`: all that it needs is loaded when it runs.

Each renderer child loads the main module of its worker again when it starts. This one is light.
"""

import gc


def main() -> None:
    """Run the command line."""
    # what is loaded stays: looking through it for garbage again and again is a tenth of the time that loading takes
    gc.disable()
    from app.cli.main import main as run

    gc.freeze()
    gc.enable()
    run()


if __name__ == "__main__":
    main()
