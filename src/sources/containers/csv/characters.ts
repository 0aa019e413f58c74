// Codes of characters that the CSV readers compare with the characters of a file.
export const LF = 10;
export const CR = 13;
export const BACKSLASH = 92;
