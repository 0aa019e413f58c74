import { selfDescribingHash, unsupportedAlgorithm } from '../fields/hashes.ts';
import { REALM } from '../fields/realms.ts';
import { stateOf } from '../fields/states.ts';
import { textOf } from '../fields/values.ts';
import { system } from './declare.ts';

const MD5 = /^[0-9a-f]{32}$/i;

/** Schema: PrestaShop/PrestaShop 9: install-dev/data/db_structure.sql, classes/Customer.php */
export const prestashop = system(
  { name: 'prestashop', title: 'PrestaShop', settings: REALM },
  {
    forms: { sql: 'prestashop-sql', csv: 'prestashop-csv', json: 'prestashop-json' },
    table: 'customer',
    isPrefixed: true,
    has: 'id_customer email passwd active deleted',
    realms: { title: 'shops', column: 'id_shop' },
    id: 'id_customer',
    email: 'email',
    joined: 'date_add',
    // Before 1.7: MD5 of the shop's _COOKIE_KEY_ and the password.
    hash: ({ record }) =>
      MD5.test(textOf(record.passwd) ?? '')
        ? unsupportedAlgorithm(
            'this MD5 was made with the _COOKIE_KEY_ of the shop: the person needs a new password',
          )
        : selfDescribingHash(record.passwd),
    metadata: 'first_name=firstname last_name=lastname company website birthday',
    states: { active: 'active', deleted: 'deleted' },
    // Guests have a random password, and perhaps the address of a customer.
    state: (row) => {
      const guest = stateOf('is_guest', row.record.is_guest, 'disabled', row);
      return guest === 'DISABLED' ? 'NO_LOGIN_METHOD' : guest;
    },
    reads: 'is_guest firstname lastname',
    unused:
      'id_shop_group id_gender id_default_group id_lang id_risk siret ape last_passwd_gen newsletter ip_registration_newsletter ' +
      'newsletter_date_add optin outstanding_allow_amount show_public_prices max_payment_days secure_key note date_upd ' +
      'reset_password_token reset_password_validity',
  },
);
