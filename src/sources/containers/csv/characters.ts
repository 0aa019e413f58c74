export const LF = 10;
export const CR = 13;
export const BACKSLASH = 92;
