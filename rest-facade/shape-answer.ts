import type { Selection } from '../shared/graph/json-schema.js';
import { objectOf } from './object-of.js';

/** Converts graph data to a REST answer: leaves out optional members without a value, and keeps a null that is a value. */
export type ShapeAnswer = (data: unknown) => unknown;

export function shapeAnswer(selection: Selection | null): ShapeAnswer {
  if (selection === null) return (data) => data;
  const fields = Object.entries(selection).map(([name, { optional = false, fields: inner }]) => ({
    name,
    optional,
    shape: inner ? shapeAnswer(inner) : null,
  }));
  const shapeObject = (data: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const answer: Record<string, unknown> = {};
    for (const { name, optional, shape } of fields) {
      const value = data[name] ?? null;
      if (value === null && optional) continue;
      answer[name] = shape && value !== null ? shape(value) : value;
    }
    return answer;
  };
  const shape: ShapeAnswer = (data) => {
    if (Array.isArray(data)) return data.map(shape);
    return data === null ? null : shapeObject(objectOf(data));
  };
  return shape;
}
