import { JsonSplitter, type Unit } from '../../formats/index.js';

const DEPTH_LIMIT = 64;
const WINDOW_BYTES = 1_048_576;

/**
 * The resources of a Bundle with their exact bytes: the same resource on another page is the same body. An entry
 * without a resource is null, so that indexes match `entry`.
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
    { windowBytes: WINDOW_BYTES, unitBytes: page.length + 1, depth: DEPTH_LIMIT },
  );
  splitter.push(page);
  splitter.finish();
  return resources;
}
