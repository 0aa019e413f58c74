/** Hashes that other systems could have made, with their passwords. */
export const BCRYPT = {
  hash: '$2b$04$abcdefghijklmnopqrstuuFkqCYl1sZhFcdBXBznR1I2LdekaY3XO',
  password: 'old password',
};
export const OTHER_BCRYPT = {
  hash: '$2b$04$ABCDEFGHIJKLMNOPQRSTUue2.a.LIjFi87UFDouqvAWLeOmvp2SsC',
  password: 'other password',
};
export const ARGON2 = {
  hash: '$argon2id$v=19$m=64,p=1,t=1$c2FsdHNhbHRzYWx0c2FsdA$GPTl5wwgHXESSz40Lox4fpSNye4gkZ/d8PbK9CnEZqQ',
  password: 'old password',
};
/** Example of the public reference implementation, https://github.com/firebase/scrypt. */
export const EXTERNAL_SCRYPT = {
  hash: '$f_scrypt$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$42xEC+ixf3L2lw==$m=14$r=8$s=Bw==',
  password: 'user1password',
};
