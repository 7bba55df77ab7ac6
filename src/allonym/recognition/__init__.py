"""How recognisable a text is: what `allonym check` and the page's Read screen share."""
