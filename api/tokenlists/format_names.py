"""The names of the formats of listings, for settings, which import none of the shapes."""

from typing import Literal

FormatName = Literal["coin", "asset", "profile"]
