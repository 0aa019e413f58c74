import { AppError } from '../../../lib/errors.ts';
import type { Front } from '../../context.ts';

/** @throws {AppError} CORE_NOT_CONFIGURED if no core is configured */
export function requireFront(front: Front | undefined): Front {
  if (front !== undefined) return front;
  throw new AppError(
    'CORE_NOT_CONFIGURED',
    'There is no SuperTokens core behind this service: set upstream_core_uri',
  );
}
