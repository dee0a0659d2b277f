"""Plain data as HTML, in which no text of a visitor is markup."""
