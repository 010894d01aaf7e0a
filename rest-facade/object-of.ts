import { isJsonObject, type JsonObject } from '../shared/json/strict-json.js';

/** Returns the value if it is an object, else an empty one. */
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
