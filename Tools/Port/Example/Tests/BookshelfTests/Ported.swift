// Elsewhere than on Apple's systems the compiler gets this file, and the port of all others.
