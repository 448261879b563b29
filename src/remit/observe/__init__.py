"""Five readings of the evidence, a citation check and a coarse estimate; one file each, none of them decides."""
