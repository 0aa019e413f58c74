import type { ColonFile } from './colon-file.ts';
import { dokuwikiFile } from './dokuwiki-file.ts';
import { dovecotFile } from './dovecot-file.ts';
import { htdigestFile } from './htdigest-file.ts';
import { htpasswdFile } from './htpasswd-file.ts';
import { passwdFile } from './passwd-file.ts';
import { shadowFile } from './shadow-file.ts';
import { smbpasswdFile } from './smbpasswd-file.ts';

export const COLON_FILES: readonly ColonFile[] = [
  shadowFile,
  passwdFile,
  htpasswdFile,
  htdigestFile,
  dovecotFile,
  dokuwikiFile,
  smbpasswdFile,
];
