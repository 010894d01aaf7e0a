import { readFileSync } from 'node:fs';
import { type ConfigEntry, ConfigError } from './entry.js';
import { CONFIG_TABLE } from './schema.js';

const SUFFIX = '_FILE';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Secrets may stand in files, as orchestrators mount them: `<NAME>_FILE` is a path, and the file's text (without the
 * line's end) is the setting. Only settings that the table marks as secret; both at once is a fault.
 *
 * @throws ConfigError; neither path nor text is repeated.
 */
export function withSecretFiles(env: Env, read: (path: string) => string = readText): Env {
  const merged: Record<string, string | undefined> = { ...env };
  for (const [name, entry] of Object.entries<ConfigEntry>(CONFIG_TABLE)) {
    const path = env[`${name}${SUFFIX}`];
    if (!entry.secret || path === undefined) continue;
    if (env[name]) throw new ConfigError(`Configuration refused:\n  ${name}: given twice, and as a file`);
    delete merged[`${name}${SUFFIX}`];
    try {
      merged[name] = read(path).replace(/\r?\n$/, '');
    } catch {
      throw new ConfigError(`Configuration refused:\n  ${name}${SUFFIX}: the file cannot be read`);
    }
  }
  return merged;
}

const readText = (path: string): string => readFileSync(path, 'utf8');
