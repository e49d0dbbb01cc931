// On platforms other than Apple's, this file is compiled together with the ports of all others.
