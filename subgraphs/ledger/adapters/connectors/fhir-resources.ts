import { JsonSplitter } from '../fhir/json-splitter.js';
import type { Unit } from '../fhir/splitter-sink.js';

const depthLimit = 64;
const windowBytes = 1_048_576;

/**
 * The resources of a Bundle as they lie in its text, byte for byte: the same resource in another page is the same body. An
 * entry without one is null, so that places stay those of `entry`.
 */
export function resourcesIn(page: Buffer): readonly (Buffer | null)[] {
  const resources: (Buffer | null)[] = [];
  const splitter = new JsonSplitter(
    {
      unit: ({ kind, resource: { from, to } }: Unit) => {
        if (kind === 'entry') resources.push(from < to ? page.subarray(from, to) : null);
      },
      bundleBegin: () => undefined,
      bundleEnd: () => undefined,
      lost: () => resources.push(null),
    },
    { windowBytes, unitBytes: page.length + 1, depth: depthLimit },
  );
  splitter.push(page);
  splitter.finish();
  return resources;
}
