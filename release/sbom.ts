/**
 * Usage: `npm run -s sbom > sbom.json`. Writes the packages of an installation, on every platform, as CycloneDX.
 *
 * `npm sbom --omit dev` leaves out packages that development needs, too, such as yaml and undici. It also names the
 * component after the directory. So npm reads a copy of the lock that has no others, in a directory of the right name.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productionLock, readJson } from './production-lock.ts';

const { devDependencies: _, ...manifest } = readJson('package.json');
const parent = mkdtempSync(join(tmpdir(), 'uic-sbom-'));
try {
  const directory = join(parent, manifest.name);
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(productionLock()));
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  execFileSync('npm', ['sbom', ...options], { cwd: directory, stdio: 'inherit' });
} finally {
  rmSync(parent, { recursive: true });
}
