import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';

/** Supported versions of the Core Driver Interface, oldest first. */
export const CDI_VERSIONS = ['4.0', '5.0', '5.1', '5.2', '5.3', '5.4', '5.5', '5.6'] as const;

export type CdiVersion = (typeof CDI_VERSIONS)[number];

export const NEWEST_CDI_VERSION: CdiVersion = '5.6';

const isSupported = (version: string): version is CdiVersion =>
  CDI_VERSIONS.some((supported) => supported === version);

export function isAtLeast(version: CdiVersion, since: CdiVersion): boolean {
  return CDI_VERSIONS.indexOf(version) >= CDI_VERSIONS.indexOf(since);
}

/** @throws {AppError} if the header `cdi-version` is malformed or not supported */
export function checkCdiVersion(request: FastifyRequest): void {
  if (request.routeOptions.config.key !== 'open') request.cdiVersion = readCdiVersion(request);
}

function readCdiVersion(request: FastifyRequest): CdiVersion {
  const header = request.headers['cdi-version'];
  if (header === undefined) return NEWEST_CDI_VERSION;
  if (typeof header !== 'string' || !/^\d{1,4}\.\d{1,4}$/.test(header)) {
    throw new AppError(
      'CDI_VERSION_INVALID',
      'cdi-version header is invalid: expected a version such as 5.6',
    );
  }
  if (!isSupported(header)) {
    throw new AppError(
      'CDI_VERSION_UNSUPPORTED',
      `cdi-version ${header} not supported: this service speaks ${CDI_VERSIONS.join(', ')}`,
    );
  }
  return header;
}
