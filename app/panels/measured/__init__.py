"""The Measured panel: counters of links compared with predicted loads."""
