import { describe, expect, it } from 'vitest';
import { isDemanded, mayShowFactor, secondFactors } from '../../../src/sources/fields/second-factors.ts';
import { headOf } from '../systems/read-users.ts';

describe('columns of users', () => {
  const words = (text: string) => text.trim().split(/\s+/);

  it.each(
    words(`two_factor_secret two_factor_enabled TwoFactorEnabled twoFactor has_2fa is2faEnabled totp_secret totpEnabled
      otp_required_for_login otp_secret otp_backup_codes mfa mfa_enabled mfaInfo mfa_factors multifactor multiFactor
      active_mfa_type preferred_mfa_method google2fa_secret webauthn_credentials webauthn_registrations passkeys
      u2f_registrations two_factor_recovery_codes backup_code_enabled recovery_codes authenticator_key`),
  )('%s is a second factor', (name) => {
    expect(mayShowFactor(name)).toBe(true);
  });

  it.each([
    '',
    ...words(`otp otp_code otp_expires_at otp_attempts must_change_password custom_fax shortfall default_factor
      reset_password_token password_changed_at password_reset_expires require_password two factor password __proto__`),
  ])('%s requires nothing', (name) => {
    expect(mayShowFactor(name)).toBe(false);
  });

  it('that are empty or false require nothing', () => {
    const nothing = [
      ...[null, undefined, '', '0', 0, false, 'f', 'None', 'disabled', '[]', '{}', [], {}, '{"methods":[]}'],
      // JSON in a column of bytes, as PostgreSQL writes it.
      ...['a:0:{}', '\\x6e756c6c', '\\x5b5d'],
    ];
    for (const value of nothing) expect([value, isDemanded(value)]).toEqual([value, false]);
    const demanded = [true, 't', '1', 'totp', 'JBSWY3DPEHPK3PXP', ['x'], { methods: [{}, { id: 1 }] }];
    for (const value of [...demanded, '2024-01-15'])
      expect([value, isDemanded(value)]).toEqual([value, true]);
  });
});

describe('tables', () => {
  const fits = (name: string, columns: readonly string[]) =>
    secondFactors.fits(headOf([], { container: 'sql', name, columns }));

  it.each([
    ['public.mfa_authenticator', 'user_id'],
    ['otp_totp_totpdevice', 'user_id'],
    ['otp_static_staticdevice', 'user_id'],
    ['otp_email_emaildevice', 'user_id'],
    ['two_factor_phonedevice', 'user_id'],
    ['auth.mfa_factors', 'user_id'],
    ['twoFactor', 'userId'],
    ['two_factor', 'user_id'],
    ['user_second_factors', 'user_id'],
    ['user_security_keys', 'user_id'],
    ['Authenticator', 'userId'],
    ['passkey', 'userId'],
    ['webauthn_credentials', 'users_id'],
    ['AspNetUserPasskeys', 'UserId'],
    ['oc_twofactor_totp_secrets', 'user_id'],
    ['wp_wfls_2fa_secrets', 'user_id'],
    ['recovery_codes', 'user_id'],
  ])('%s contains second factors', (name, key) => {
    expect(fits(name, ['id', key])).toBe(true);
    expect(fits(name, ['id'])).toBe(false);
  });

  it.each([
    ...['users', 'sessions', 'one_time_tokens', 'otp_codes', 'mfa_challenges', 'mfa_amr_claims'],
    ...['mfa_attempts', 'oauth_account'],
  ])('%s contains none', (name) => {
    expect(fits(name, ['id', 'user_id'])).toBe(false);
  });

  it('without a name are recognised by their columns', () => {
    expect(
      secondFactors.fits(
        headOf([{ id: 1, user_id: 2, factor_type: 'totp', status: 'verified' }], { container: 'csv' }),
      ),
    ).toBe(true);
    expect(secondFactors.fits(headOf([{ userId: 2, secret: 's', backupCodes: '[]' }]))).toBe(true);
    expect(secondFactors.fits(headOf([{ userId: 2, secret: 's' }]))).toBe(false);
    const columns = (names: string) => headOf([], { container: 'csv', columns: names.split(',') });
    for (const names of [
      'id,type,data,user_id,created_at,last_used_at',
      'id,name,confirmed,user_id,throttling_failure_count,throttling_failure_timestamp',
      'id,user_id,method,data,enabled,last_used,created_at',
    ])
      expect([names, secondFactors.fits(columns(names))]).toEqual([names, true]);
  });

  it('count only factors that are set up', () => {
    expect(secondFactors.keep({ user_id: '1', status: 'unverified' })).toBeUndefined();
    expect(secondFactors.keep({ user_id: '1', confirmed: 'f' })).toBeUndefined();
    expect(secondFactors.keep({ user_id: '1', confirmed: 't' })).toEqual({ totp: [] });
  });
});
