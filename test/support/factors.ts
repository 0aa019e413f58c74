import { FactorVault } from '../../src/users/factor-vault.ts';

export const FACTORS_SECRET = 'a secret of tests for the factors of users';

export const testVault = () => new FactorVault(FACTORS_SECRET);

/** Factors as a user payload has them, in the form in which they are read back. */
export const FACTORS = {
  totpDevices: [
    {
      deviceName: 'phone',
      secretKey: 'JBSWY3DPEHPK3PXP',
      period: 60,
      skew: 2,
      digits: 8,
      algorithm: 'SHA256',
    },
  ],
  userRoles: [{ role: 'editor' }],
  phoneNumbers: ['+49 30 1234'],
};

/**
 * What must not be readable of {@link FACTORS}, as text and as the hexadecimal bytes in which PostgreSQL
 * shows a `bytea`.
 */
export const TRACES_OF_FACTORS = ['JBSWY3DPEHPK3PXP', 'editor', '+49 30 1234'].flatMap((text) => [
  text,
  Buffer.from(text).toString('hex'),
]);
