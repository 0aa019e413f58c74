import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readJson } from '../release/production-lock.ts';
import { loadConfig } from '../src/config/load.ts';
import { type Config, SETTINGS } from '../src/config/schema.ts';
import { ROUTES } from '../src/http/routes/index.ts';
import { API_KEY } from './support/app.ts';

// What people run the service with. A schema validator, a real systemd and Compose have seen these files; a change of the
// service must not leave them behind.

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const { version, bin } = readJson('package.json');
const operating = read('docs/operating.md');

const VARIABLES = new Set([
  'NODE_ENV',
  'CONFIG_FILE',
  ...SETTINGS.flatMap(([name, { secret }]) => [
    name.toUpperCase(),
    ...(secret ? [`${name.toUpperCase()}_FILE`] : []),
  ]),
]);

/** Returns the configuration of a service with these variables. Files of secrets contain what fits. */
function configOf(env: Record<string, string>): Config {
  expect(Object.keys(env).filter((name) => !VARIABLES.has(name))).toEqual([]);
  const result = loadConfig({
    env,
    readSecret: (path) => (path.endsWith('uri') ? 'postgresql://user@host/database' : API_KEY),
    isOpenToAll: () => false,
    machine: { cores: 2, memoryBytes: 2 ** 30, threadPoolSize: 4, embeddedPostgres: false },
  });
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.config;
}

/** Seconds that a stop may take: the settings, and one to close the database. */
const stopSeconds = ({ shutdown_delay_ms, shutdown_timeout_ms }: Config) =>
  (shutdown_delay_ms + shutdown_timeout_ms) / 1000 + 1;

describe('the manifests of Kubernetes', () => {
  interface Container {
    image: string;
    args?: string[];
    envFrom: { configMapRef: { name: string } }[];
    ports?: { name: string; containerPort: number }[];
    volumeMounts: { name: string; mountPath: string }[];
    securityContext: object;
    lifecycle?: { preStop: { exec: { command: [string, string] } } };
    [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
  }
  // Kubernetes reads YAML 1.1, in which 0440 is octal.
  const resources = parseAllDocuments(read('docker/kubernetes/user-import-core.yaml'), {
    version: '1.1',
  }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
  const ofKind = (kind: string) => resources.find((resource) => resource.kind === kind)?.spec;
  const kustomization = parse(read('docker/kubernetes/kustomization.yaml'));
  const pod = ofKind('Deployment').template.spec;
  const [core]: Container[] = pod.containers;
  const containers: Container[] = [...pod.initContainers, ...pod.containers];
  const [generated] = kustomization.configMapGenerator;
  const env: Record<string, string> = Object.fromEntries(
    generated.literals.map((line: string) => line.split('=')),
  );
  const config = configOf(env);
  if (core === undefined) throw new Error('there is no container');

  it('set settings that exist, to values that they may have', () => {
    expect(config.migrate_on_start).toBe(false);
    for (const { envFrom } of containers)
      expect(envFrom).toEqual([{ configMapRef: { name: generated.name } }]);
  });

  it('ask routes that need no key, at the ports that the service listens on', () => {
    const open = new Set(ROUTES.filter(({ key }) => key === 'open').flatMap(({ path }) => path));
    expect(core.ports).toEqual([
      { name: 'http', containerPort: config.port },
      { name: 'metrics', containerPort: config.metrics_port },
    ]);
    const probes = Object.entries(core).filter(([name]) => name.endsWith('Probe'));
    expect(probes.map(([name]) => name).sort()).toEqual(['livenessProbe', 'readinessProbe', 'startupProbe']);
    for (const [, { httpGet }] of probes) {
      expect(open).toContain(httpGet.path);
      expect(httpGet.port).toBe('http');
    }
    expect(ofKind('Service').ports).toEqual([{ name: 'http', port: config.port, targetPort: 'http' }]);
  });

  it('leave a pod the time that it needs to stop', () => {
    const [command, seconds] = core.lifecycle?.preStop.exec.command ?? ['', ''];
    expect(command).toBe('sleep');
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + stopSeconds(config));
  });

  it('migrate before each new pod, with a command of the image', () => {
    expect(containers.map(({ args }) => args)).toEqual([['migrate'], undefined]);
    expect(read('docker/entrypoint.sh')).toMatch(/^ {2}migrate\)$/m);
  });

  it('run everything as a user without rights, on a file system that is read-only', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const { securityContext } of containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  it('read secrets from files that docs/operating.md makes, and that its user alone may read', () => {
    const [volume] = pod.volumes;
    expect([volume.secret.defaultMode, pod.securityContext.fsGroup]).toEqual([
      0o440,
      pod.securityContext.runAsGroup,
    ]);
    for (const { volumeMounts } of containers)
      expect(volumeMounts).toEqual([
        { name: volume.name, mountPath: '/run/secrets/user-import-core', readOnly: true },
      ]);
    const files = Object.entries(env).filter(([name]) => name.endsWith('_FILE'));
    expect(files.length).toBe(2);
    expect(operating).toContain(
      `kubectl create secret generic ${volume.secret.secretName} --from-file=secrets/`,
    );
    for (const [name, path] of files) {
      const setting = name.toLowerCase().replace(/_file$/, '');
      expect(path).toBe(`/run/secrets/user-import-core/${setting}`);
      expect(operating).toContain(`> secrets/${setting}`);
    }
  });

  it('select the pods of the deployment, and name an image of this version', () => {
    const labels = ofKind('Deployment').template.metadata.labels;
    const selected = [
      ofKind('Deployment').selector.matchLabels,
      pod.topologySpreadConstraints[0].labelSelector.matchLabels,
      ofKind('Service').selector,
      ofKind('PodDisruptionBudget').selector.matchLabels,
      ofKind('NetworkPolicy').podSelector.matchLabels,
    ];
    for (const selector of selected) expect(selector).toEqual(labels);
    const [image] = kustomization.images;
    expect(image.newTag).toBe(version);
    for (const container of containers) expect(container.image).toBe(image.name);
    expect(kustomization.replicas[0].count).toBeGreaterThan(1);
    expect(kustomization.resources).toEqual(['user-import-core.yaml']);
  });
});

it('compose.yaml sets settings that exist, and leaves the service the time that it needs to stop', () => {
  const { core } = parse(read('docker/compose.yaml')).services;
  expect(Object.keys(core.environment).filter((name) => !VARIABLES.has(name))).toEqual([]);
  expect(core.stop_grace_period).toMatch(/^\d+s$/);
  const config = configOf({
    API_KEYS: API_KEY,
    POSTGRESQL_CONNECTION_URI: 'postgresql://user@host/database',
  });
  expect(Number.parseInt(core.stop_grace_period, 10)).toBeGreaterThan(stopSeconds(config));
  expect(core.build.args).toEqual([/^ARG (\w+)=/m.exec(read('Dockerfile'))?.[1]]);
});

describe('the unit of systemd', () => {
  const lines = read('docker/user-import-core.service').split('\n');
  const entry = (name: string) =>
    lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';

  it('starts what docs/operating.md installs, with variables that exist', () => {
    const [, prefix, program = ''] = /^(.*)\/node_modules\/\.bin\/(.*)$/.exec(entry('ExecStart')) ?? [];
    expect(Object.keys(bin)).toContain(program);
    expect(operating).toContain(`--prefix ${prefix} `);
    expect(operating).toContain(` ${entry('User')}\n`);
    const variables = Object.fromEntries(
      entry('Environment')
        .split(' ')
        .map((pair) => pair.split('=')),
    );
    expect(Object.keys(variables).filter((name) => !VARIABLES.has(name))).toEqual([]);
    expect(operating).toContain(variables.CONFIG_FILE);
  });

  it('leaves the service the time that it needs to stop', () => {
    const config = configOf({
      API_KEYS: API_KEY,
      POSTGRESQL_CONNECTION_URI: 'postgresql://user@host/database',
    });
    expect(Number(entry('TimeoutStopSec'))).toBeGreaterThan(stopSeconds(config));
  });
});
