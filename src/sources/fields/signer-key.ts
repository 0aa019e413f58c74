/** Option of sources that may have hashes of Firebase's scrypt. */
export const SIGNER_KEY = {
  signerKey:
    'base64_signer_key of the Firebase project, to see whether the hashes can be of it; it is not sent',
};
