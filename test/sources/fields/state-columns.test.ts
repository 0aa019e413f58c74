import { expect, it } from 'vitest';
import { stateOfColumns } from '../../../src/sources/fields/state-columns.ts';

it.each([
  [{}, undefined],
  [{ is_active: 't', banned: 'f', deleted_at: null, status: 'active' }, undefined],
  [{ isActive: true, suspendedAt: '0000-00-00 00:00:00', status: ' Approved' }, undefined],
  // A state of the United States, and a word that only looks like one of ours.
  [{ state: 'CA', activeProjects: 0, blocked_users: '3' }, undefined],
  [{ is_active: 'f' }, 'DISABLED'],
  [{ active: null }, 'DISABLED'],
  [{ enabled: 'off' }, 'DISABLED'],
  [{ approved: 0 }, 'DISABLED'],
  [{ banned: '1' }, 'DISABLED'],
  [{ banned: 'spam' }, 'DISABLED'],
  [{ isBlocked: { reason: 'spam' } }, 'DISABLED'],
  [{ suspended_at: '2024-01-01' }, 'DISABLED'],
  [{ archivedAt: 1_704_067_200_000 }, 'DISABLED'],
  [{ deactivated: true }, 'DISABLED'],
  [{ status: 'suspended' }, 'DISABLED'],
  [{ status: 'inactive' }, 'DISABLED'],
  [{ status: null }, 'DISABLED'],
  [{ accountStatus: 7 }, 'DISABLED'],
  [{ deleted_at: '2024-01-01', banned: true }, 'DELETED'],
  [{ isDeleted: true }, 'DELETED'],
])('%j is %s', (record, state) => {
  expect(stateOfColumns(record)).toBe(state);
});
