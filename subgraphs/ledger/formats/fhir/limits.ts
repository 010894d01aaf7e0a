import type { AdapterOptions } from '../format-adapter.js';
import type { SplitterLimits } from './json/splitter-state.js';

const DEFAULT_WINDOW_BYTES = 64 * 1024;
/** The longest resource, held until it ends; a longer one is rejected. */
const RESOURCE_BYTES_LIMIT = 16 * 1024 * 1024;
/** Deeper resources are rejected before any recursive code sees them. */
const DEPTH_LIMIT = 64;

/** The limits of one body of JSON. Bundle, list and entry add three levels to a resource. */
export const splitterLimits = ({ limits }: AdapterOptions): SplitterLimits => ({
  windowBytes: limits.windowBytes ?? DEFAULT_WINDOW_BYTES,
  unitBytes: RESOURCE_BYTES_LIMIT,
  depth: DEPTH_LIMIT + 3,
});
