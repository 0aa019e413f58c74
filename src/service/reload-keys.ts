import type { Logger } from 'pino';
import { apiKeysOf } from '../config/api-keys.ts';
import type { ConfigResult } from '../config/load.ts';
import { type Config, SETTINGS } from '../config/schema.ts';
import type { Service } from './start.ts';

/**
 * Applies the API keys of a newly read configuration. Other settings need a restart; the log names those
 * that differ.
 * @param started configuration with which the service was started
 */
export function reloadKeys(
  service: Pick<Service, 'useKeys'>,
  started: Config,
  result: ConfigResult,
  logger: Logger,
): void {
  if (!result.ok) {
    logger.error(
      { problems: result.problems },
      'the new configuration has problems: the API keys stay as they were',
    );
    return;
  }
  const { config, warnings } = result;
  for (const warning of warnings) logger.warn(warning);
  const needRestart = SETTINGS.flatMap(([name]) =>
    name !== 'api_keys' && JSON.stringify(config[name]) !== JSON.stringify(started[name]) ? [name] : [],
  );
  if (config.api_keys === undefined || started.api_keys === undefined) {
    logger.error(
      'the API keys stay as they were: to configure the first key or remove the last one, restart the service',
    );
    return;
  }
  const keys = apiKeysOf(config.api_keys);
  service.useKeys(keys);
  logger.info(
    {
      keys: keys.map(({ name, allow }) => ({ name, allow })),
      ...(needRestart.length > 0 && { needRestart }),
    },
    'the API keys were read again',
  );
}
