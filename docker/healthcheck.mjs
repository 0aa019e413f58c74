import { get } from 'node:http';

// /health/live, not /health/ready: an orchestrator replaces a container that is unhealthy, which mends a process that
// hangs but not a database that is away (this one reconnects by itself). It says more than it seems to: the service
// listens only once the database has answered and its schema is up to date. Whoever routes traffic asks /health/ready.
const url = `http://127.0.0.1:${process.env.PORT || 3567}/health/live`;

function end(code, text) {
  process.stdout.write(text);
  process.exitCode = code;
}

get(url, { agent: false }, (response) => {
  response.resume();
  end(response.statusCode === 200 ? 0 : 1, `${url} answered ${response.statusCode}`);
}).on('error', (error) => end(1, `${url}: ${error.message}`));
