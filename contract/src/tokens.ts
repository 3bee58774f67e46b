import { Type, type Static } from 'typebox'
import { operation, requesting } from './operation.ts'

export type TokenResponse = Static<typeof TokenResponse>
export const TokenResponse = Type.Object({
  token: Type.String({ format: 'uuid' }),
  expires_in: Type.String({
    format: 'date-time',
    description: 'The time at which the token expires, ISO 8601 in UTC with milliseconds.',
  }),
})

const FORM = ['application/x-www-form-urlencoded'] as const

export const issueToken = operation({
  operationId: 'issueToken',
  summary: 'Get an access token',
  method: 'POST',
  url: '/oauth2/token',
  base: '/api/v1',
  noun: 'tokens',
  consumes: FORM,
  config: requesting('Token acquisition failed'),
  schema: {
    body: Type.Object({ grant_type: Type.Literal('client_credentials') }),
    response: { 200: TokenResponse },
  },
})

export const refreshToken = operation({
  operationId: 'refreshToken',
  summary: 'Exchange a token, valid or expired, for a new one',
  method: 'POST',
  url: '/oauth2/token/refresh',
  base: '/api/v1',
  noun: 'tokens',
  consumes: FORM,
  config: requesting('Token refresh failed'),
  schema: {
    body: Type.Object({ grant_type: Type.Literal('refresh_token'), token: Type.String() }),
    response: { 200: TokenResponse },
  },
})

export const invalidateToken = operation({
  operationId: 'invalidateToken',
  summary: 'Invalidate an access token',
  method: 'POST',
  url: '/oauth2/token/invalidate',
  base: '/api/v1',
  noun: 'tokens',
  consumes: FORM,
  config: requesting('Token invalidation failed'),
  schema: {
    body: Type.Object({ token: Type.String({ minLength: 1 }) }),
    response: { 204: Type.Void() },
  },
})
