"""What may stand where an export's id does in an address."""

from starlette.convertors import StringConvertor, register_url_convertor


class ExportIdConvertor(StringConvertor):
    """Any text but the names that addresses beside the exports have: a wrong method there is told the right one."""

    regex = "(?!preview$)[^/]+"


register_url_convertor("export", ExportIdConvertor())
