"""From ranked passages to a draft whose every claim is a quotation, or rests on one."""
