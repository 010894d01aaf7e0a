import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { remember, remembered } from '../remembered';
import { type Api, ApiError, api, send, unwrap } from './client';
import { noteEnded } from './reach';

type Caller = Api<'Caller'>;

/** Opens a session with a key; the key is in this one request and nowhere else. */
export const signIn = (key: string): Promise<Caller> =>
  unwrap(api.POST('/v1/session', { headers: { 'x-api-key': key, 'x-tenant-id': '' }, body: {} }));

/** Whether this service has a sign-in provider. */
async function hasProvider(): Promise<boolean> {
  const ways: unknown = await (await send('/console/sign-in/ways')).json();
  return typeof ways === 'object' && ways !== null && 'oidc' in ways && ways.oidc === true;
}

/** The address that leads over the sign-in provider back to the present place; null without a provider. */
export function useProviderAddress(): string | null {
  const { data } = useQuery({ queryKey: ['sign-in-ways'], queryFn: hasProvider, staleTime: Number.POSITIVE_INFINITY });
  const query = new URLSearchParams(location.search);
  // The failure of the last try.
  query.delete('sign_in');
  const place = query.size === 0 ? location.pathname : `${location.pathname}?${query}`;
  return data === true ? `/console/sign-in/oidc?return_to=${encodeURIComponent(place)}` : null;
}

export async function signOut(): Promise<void> {
  await unwrap(api.DELETE('/v1/session', { headers: { 'x-tenant-id': '' } }));
  remember('tenant', null);
  remember('purpose', null);
}

/** Null without a session. */
export async function readCaller(): Promise<Caller | null> {
  try {
    return await unwrap(api.GET('/v1/session', { headers: { 'x-tenant-id': '' } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/**
 * Reads who is signed in. A session that has ended keeps its caller, so that the screen keeps its input until the same user
 * signs in again; the data of another user are forgotten.
 */
async function followCaller(client: QueryClient): Promise<Caller | null> {
  const before = client.getQueryData<Caller | null>(['caller']) ?? null;
  const now = await readCaller();
  if (before === null || now === before) return now;
  if (now === null) {
    noteEnded(true);
    return before;
  }
  if (!isSameUser(before, now)) client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'caller' });
  noteEnded(false);
  return now;
}

export function useCaller() {
  const client = useQueryClient();
  return useQuery({ queryKey: ['caller'], queryFn: () => followCaller(client), staleTime: 60_000 });
}

/** Sets who is signed in, and forgets everything that another user read. */
export function useEnter(): (caller: Caller | null) => void {
  const client = useQueryClient();
  return (caller) => {
    client.setQueryData(['caller'], caller);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'caller' });
    noteEnded(false);
  };
}

/** Continues with a new session of the same user: screens keep their input and read their data again. */
export function useResume(): (caller: Caller) => void {
  const client = useQueryClient();
  return (caller) => {
    client.setQueryData(['caller'], caller);
    noteEnded(false);
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'caller' });
  };
}

export const isSameUser = (one: Caller, other: Caller): boolean =>
  one.key_id === other.key_id && one.tenant_id === other.tenant_id;

interface SignedIn {
  readonly caller: Caller;
  /** The tenant of the key, or the one that an operator has chosen. */
  readonly tenant: string | null;
  readonly choose: (tenant: string | null) => void;
}

const Signed = createContext<SignedIn | null>(null);

export function SignedProvider({ caller, children }: { readonly caller: Caller; readonly children: ReactNode }) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState(() => remembered('tenant'));
  const choose = (tenant: string | null): void => {
    remember('tenant', tenant);
    setChosen(tenant);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'caller' });
  };
  return <Signed.Provider value={{ caller, tenant: caller.tenant_id ?? chosen, choose }}>{children}</Signed.Provider>;
}

/** The signed-in caller. */
export function useSigned() {
  const signed = useContext(Signed);
  if (signed === null) throw new Error('this screen needs a session');
  const { caller } = signed;
  return { ...signed, isOperator: caller.tenant_id === null, may: (scope: string) => caller.scopes.includes(scope) };
}
