import type { JsonObject } from '../../lib/json/json-object.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, textOf } from '../fields/values.ts';
import { hashOf, type Row, system } from './declare.ts';

/** MediaWiki's system accounts (User::INVALID_TOKEN), with which nobody can sign in. */
const INVALID_TOKEN = '*** INVALID ***';
/** The same in columns of bytes, padded with zeros. */
const INVALID_BYTES = Buffer.from(INVALID_TOKEN).toString('hex');

/** An empty text counts as a missing value. */
const isText = (value: unknown) => textOf(value) !== undefined || value === false;

/** Blocks of single pages do not count. An expiry that is not a time, such as `infinity`, never passes. */
function isInForce({ expiry, sitewide }: JsonObject, nowMs: number): boolean {
  if (flagOf(sitewide) === false && isText(sitewide)) return false;
  const endMs = timeOf(expiry);
  return endMs === undefined || endMs > nowMs;
}

function isBlocked({ joined, hasDetail, nowMs }: Row): boolean {
  return joined('blocks').some((block) => {
    const target = textOf(block.target);
    if (target === undefined) return isInForce(block, nowMs);
    return !hasDetail('ofTargets') || joined('ofTargets', target).some((one) => isInForce(one, nowMs));
  });
}

/**
 * Users who are blocked in the whole wiki are imported as disabled, although MediaWiki lets them sign in unless
 * `$wgBlockDisablesLogin` is set. Schema: wikimedia/mediawiki: sql/tables.json, maintenance/tables.sql (1.5 to 1.45)
 */
export const mediawiki = system(
  { name: 'mediawiki', title: 'MediaWiki' },
  {
    forms: { sql: 'mediawiki-sql', csv: 'mediawiki-csv', json: 'mediawiki-json' },
    isPrefixed: true,
    has: 'user_id user_name user_password user_email user_email_authenticated|user_registration',
    joins: {
      // `ipblocks` up to version 1.41. Since 1.42, `block_target` has targets by user, and `block` blocks by target.
      blocks: {
        has: 'ipb_user|bt_user ipb_expiry|bt_id',
        on: ({ ipb_user, bt_user }) => [ipb_user, bt_user].filter(isSet).map(textOf)[0],
        keep: ({ bt_id, ipb_expiry, ipb_sitewide }) => ({
          target: textOf(bt_id),
          expiry: ipb_expiry,
          sitewide: ipb_sitewide,
        }),
        reads: 'ipb_sitewide',
        unused: `ipb_id ipb_address ipb_by ipb_by_text ipb_by_actor ipb_reason ipb_reason_id ipb_timestamp ipb_auto
          ipb_anon_only ipb_create_account ipb_enable_autoblock ipb_range_start ipb_range_end ipb_deleted ipb_block_email
          ipb_allow_usertalk ipb_parent_block_id bt_address bt_user_text bt_auto bt_range_start bt_range_end bt_ip_hex
          bt_count`,
        decides: 'states',
        missing:
          'Export it, too: mysqldump wiki user ipblocks user_groups > dump.sql; from MediaWiki 1.42 on, block and block_target in place of ipblocks.',
      },
      ofTargets: {
        has: 'bl_target bl_expiry',
        on: 'bl_target',
        keep: 'expiry=bl_expiry sitewide=bl_sitewide',
        unused: `bl_id bl_by_actor bl_reason_id bl_timestamp bl_anon_only bl_create_account bl_enable_autoblock bl_deleted
          bl_block_email bl_allow_usertalk bl_parent_block_id`,
      },
      // Second factors of the extension OATHAuth, in two versions of its tables.
      devices: { has: 'oad_user', on: 'oad_user', unused: 'oad_id oad_type oad_name oad_created oad_data' },
      factors: { table: 'oathauth_users', has: 'id module data', on: 'id', unused: 'secret scratch_tokens' },
      groups: { has: 'ug_user ug_group', on: 'ug_user', unused: 'ug_expiry' },
    },
    unusedTables: `actor archive bot_passwords filearchive image logging oldimage page_restrictions protected_titles
      recentchanges revision uploadstash user_former_groups user_newtalk user_properties watchlist watchlist_label`,
    id: 'user_id',
    email: 'user_email',
    verified: 'user_email_authenticated',
    joined: 'user_registration',
    hash: ({ record }) => hashOf('mediawiki', record.user_password),
    metadata: 'name=user_real_name username=user_name',
    state: (row) => {
      const token = textOf(row.record.user_token) ?? '';
      if (token.startsWith(INVALID_TOKEN) || token.startsWith(INVALID_BYTES)) return 'SERVICE_ACCOUNT';
      return isBlocked(row) ? 'DISABLED' : undefined;
    },
    factors: ({ joined }) => joined('devices').length > 0 || joined('factors').length > 0,
    roles: ({ joined }) => joined('groups').length > 0,
    drops: {
      'forced password changes': ({ record, nowMs }) =>
        (timeOf(record.user_password_expires) ?? Number.POSITIVE_INFINITY) <= nowMs,
    },
    reads: 'user_token user_password_expires',
    unused: `user_newpassword user_newpass_time user_touched user_email_token user_email_token_expires user_editcount
      user_options user_rights user_is_temp`,
  },
);
