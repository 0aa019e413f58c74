import { errorCodes, type FastifyInstance, type preParsingHookHandler } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import type { BodyTimeout } from './body-timeout.ts';
import { isSaidToBeUtf8 } from './json-body.ts';

const NDJSON = 'application/x-ndjson';

/**
 * Gives routes with the body kind `ndjson stream` the body as it arrives, still compressed if it was sent so,
 * without limits of length and duration.
 */
export function acceptNdjsonStreams(app: FastifyInstance, bodyTimeout: BodyTimeout): void {
  // The hook runs before parsing. A JSON body would otherwise be read completely before it is refused.
  const requireNdjson: preParsingHookHandler = (request, reply, payload, done) => {
    if (request.mediaType !== NDJSON || !isSaidToBeUtf8(request)) {
      done(
        new AppError(
          'CONTENT_TYPE_UNSUPPORTED',
          `Unsupported content type: send lines of JSON, in UTF-8, with Content-Type: ${NDJSON}`,
        ),
      );
      return;
    }
    bodyTimeout.lift(request, reply);
    done(null, payload);
  };
  app.addHook('onRoute', (route) => {
    if (route.config?.body === 'ndjson stream')
      route.preParsing = [requireNdjson, route.preParsing ?? []].flat();
  });
  app.addContentTypeParser(NDJSON, (request, payload, done) => {
    if (request.routeOptions.config.body === 'ndjson stream') done(null, payload);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}
