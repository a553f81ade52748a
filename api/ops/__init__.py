"""What operators run: the commands, the supervisor behind ``regalia up``, the demo."""
