export const PLAIN_TEXT_PASSWORDS = {
  plainTextPasswords: 'yes: values in the column of hashes that are not hashes are plain-text passwords',
};
