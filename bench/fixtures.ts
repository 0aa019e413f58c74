/** Password of all hashes in this file. */
export const PASSWORD = 'user1password';

export const SIGNER_KEY =
  'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';

export const HASHES = {
  // Made with npm bcrypt, cost 10, the default of most libraries.
  bcrypt: '$2b$10$fOZe8owN6co6sTGDzKBgDuXdA5GUSRklc2G9qV61lK61c.r7w/Gq.',
  // Made with npm argon2 and its defaults, which argon2-cffi shares: 64 MiB, 3 passes, 4 lanes.
  argon2: '$argon2id$v=19$m=65536,t=3,p=4$0QEMcKTGNaRIGKDvkPr1UA$OjKlfvU0JU7tWKC6evgzxp8HaCJ/deRWmqVd+1ilISs',
  // From the README of the algorithm's public reference repository.
  external_scrypt:
    '$f_scrypt$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$42xEC+ixf3L2lw==$m=14$r=8$s=Bw==',
} as const;

export const API_KEY = 'bench-key-0123456789-abc';
