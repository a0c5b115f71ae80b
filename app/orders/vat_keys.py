"""Where shops keep a customer's VAT number: WooCommerce has no field for it, so each plugin has a key of its own.

Source: the list that the plugin *PDF Invoices & Packing Slips* of WP Overnight reads for its own e-invoices, and the
documentation of the plugins named here.
"""

from collections.abc import Mapping
from typing import Final

VAT_KEYS: Final[Mapping[str, str]] = {
    "_billing_vat_number": "WooCommerce EU VAT Number, from 2.3.21 on",
    "_vat_number": "WooCommerce EU VAT Number, before",
    "VAT Number": "WooCommerce EU VAT Compliance",
    "vat_number": "Aelia EU VAT Assistant",
    "_billing_eu_vat_number": "EU/UK VAT Validation Manager (WPFactory)",
    "yweu_billing_vat": "YITH WooCommerce EU VAT",
    "billing_vat": "German Market",
    "_billing_vat_id": "Germanized Pro",
    "_shipping_vat_id": "Germanized Pro, of the delivery address",
    "_billing_dic_dph": "WPify Woo, Slovakia",
    "_billing_dic": "WPify Woo",
    "_billing_eu_vat": "WooCommerce EU VAT & B2B",
    "_oss_vat_number": "EU VAT One Stop Shop",
    "_billing_btw_nummer": "checkout fields of Dutch and Belgian shops",
}
"""Keys of an order's metadata in the order in which they are looked at, with the plugin that writes each."""
