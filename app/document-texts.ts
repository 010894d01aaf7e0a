import type { Config } from '../shared/config/config.js';
import type { Texts } from '../shared/evidence/edx/production.js';

/** The texts of documents for productions. A process that never makes one does not load the vault. */
export function lazyTexts(settings: Config['redaction']): Texts {
  let loaded: Promise<Texts> | undefined;
  const load = async (): Promise<Texts> => (await import('../subgraphs/vault/index.js')).documentTexts(settings);
  return {
    maxBytes: settings.maxTextBytes,
    extract: async (mediaType, bytes) => {
      loaded ??= load();
      return (await loaded).extract(mediaType, bytes);
    },
  };
}
