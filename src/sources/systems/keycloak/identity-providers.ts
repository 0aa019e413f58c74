import type { TableHead } from '../../containers/table.ts';
import { knownThirdPartyId } from '../../fields/providers.ts';
import { objectsOf, textOf } from '../../fields/values.ts';
import type { ReadContext } from '../../source.ts';
import type { SourceIdentity } from '../../source-user.ts';
import { isRealmFile, realmOf } from './realms.ts';

const ENTERPRISE = new Set(['saml', 'oidc', 'keycloak-oidc', 'oauth2', 'kubernetes', 'spiffe']);

type Tables = Pick<ReadContext, 'table' | 'tables'>;

const known = new WeakMap<TableHead, ReadonlyMap<string, string>>();

/**
 * Providers behind Keycloak's aliases, which its operator chose, as far as the file of the realm names
 * them.
 */
function providersOf({ table, tables }: Tables): ReadonlyMap<string, string> {
  const before = known.get(table);
  if (before !== undefined) return before;
  const realm = tables.find(
    (other) => isRealmFile(other) && textOf(realmOf(other).realm) === textOf(table.root.realm),
  );
  const providers = new Map(
    objectsOf(table.root.identityProviders ?? (realm && realmOf(realm).identityProviders)).flatMap(
      ({ alias, providerId }) => {
        const [name, provider] = [textOf(alias), textOf(providerId)];
        return name === undefined || provider === undefined ? [] : [[name, provider] as const];
      },
    ),
  );
  known.set(table, providers);
  return providers;
}

/** The provider has its own name if that is known, otherwise Keycloak's alias. */
export function identityOf(alias: string, userId: string, context: Tables): SourceIdentity {
  const provider = providersOf(context).get(alias);
  if (provider !== undefined && knownThirdPartyId(provider) !== undefined) return { provider, userId };
  if (provider === undefined && knownThirdPartyId(alias) !== undefined) return { provider: alias, userId };
  return { provider: alias, userId, isSso: provider === undefined || ENTERPRISE.has(provider) };
}
