import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { API_KEY, useTestApp } from '../../support/app.ts';

it('logs no error of its own if a caller breaks off an upload', async () => {
  const service = await useTestApp();
  const { port } = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    `POST /recipe/signin HTTP/1.1\r\nHost: x\r\napi-key: ${API_KEY}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"email":`,
    () => setTimeout(() => socket.destroy(), 50),
  );
  await expect.poll(() => service.log()).toContain('"status":499');
  expect(service.log()).not.toContain('"level":"error"');
});
