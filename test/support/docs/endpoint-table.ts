import { ROUTES } from '../../../src/http/routes/index.ts';
import { code, table } from './doc-tables.ts';

export const endpointTable = () =>
  table(
    ['endpoint', 'what it does', 'right'],
    ROUTES.map(({ method, path, key, route }) => [
      code(`${[method].flat()[0]} ${[path].flat()[0]?.replace(/:(\w+)/g, '{$1}')}`),
      route.schema.summary ?? '',
      key === 'open' ? 'no key' : key === 'any' ? 'any' : code(key),
    ]),
  );
