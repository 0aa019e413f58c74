import type { FastifyInstance } from 'fastify';

/**
 * Security policy of all pages. They may load from this service and call it, and no other. Styles that a script sets
 * are not subject to the policy.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Returns a page. Its paths are relative, so that they also hold behind a proxy that adds a path. */
export const htmlPage = ({
  title,
  head,
  body,
}: {
  title: string;
  head: string;
  body: string;
}) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`;

interface ServedFile {
  url: string;
  type: string;
  cacheControl: string;
  /** Further rules of the security policy. */
  policy?: readonly string[];
  /** `isFolder`: whether the URL ends with a slash, so that relative paths begin in the folder. */
  body(isFolder: boolean): string | Buffer;
}

/** Serves a page, or one of its files, to callers without an API key. */
export function serveFile(
  app: FastifyInstance,
  { url, type, cacheControl, policy = [], body }: ServedFile,
): void {
  const headers = {
    'cache-control': cacheControl,
    'content-security-policy': [...POLICY, ...policy].join('; '),
    // With this header, no page of another origin can access the window in which somebody types an API key.
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  app.get(url, { config: { key: 'open' }, schema: { hide: true } }, (request, reply) =>
    reply
      .headers(headers)
      .type(type)
      .send(body(request.url.split('?', 1)[0]?.endsWith('/') ?? false)),
  );
}
