import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from './client';
import { useSigned } from './session';

const MAX_NAMES = 500;

/** Names of people and keys by identifier, for a user who may list them; empty for others. */
export function useNames(): ReadonlyMap<string, string> {
  const { may } = useSigned();
  const names = useQuery({
    queryKey: ['names'],
    enabled: may('admin'),
    queryFn: async () => {
      const params = { query: { limit: MAX_NAMES } };
      const [actors, keys] = await Promise.all([
        unwrap(api.GET('/v1/actors', { params })),
        unwrap(api.GET('/v1/api-keys', { params })),
      ]);
      return new Map([
        ...actors.items.map(({ actor_id, name }) => [actor_id, name] as const),
        ...keys.items.map(({ key_id, name }) => [key_id, name] as const),
      ]);
    },
  });
  return names.data ?? NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();
