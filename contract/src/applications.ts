import { Type, type Static } from 'typebox'
import { Id, oneOf, Uuid } from './common.ts'
import { administering, operation } from './operation.ts'

const Scope = oneOf(['read', 'operate', 'admin'])

export type Application = Static<typeof Application>
/** An application, which reads in the name of its user. */
export const Application = Type.Object({
  appId: Uuid,
  userId: Type.Integer(),
  name: Type.String(),
  scope: Scope,
  createdAt: Type.Integer({ description: 'Epoch milliseconds.' }),
  revokedAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Epoch milliseconds; null: it is in use.',
  }),
})

export type ApplicationSecret = Static<typeof ApplicationSecret>
/** The credentials of an application; the secret is in this response only. */
export const ApplicationSecret = Type.Object({
  appId: Uuid,
  appSecret: Type.String({ description: 'Shown once.' }),
})

const params = Type.Object({ appId: Uuid })

export const listApplications = operation({
  operationId: 'listApplications',
  summary: 'List applications, oldest first',
  method: 'GET',
  url: '/applications',
  base: '/manage/v1',
  noun: 'applications',
  config: administering('Applications query failed'),
  schema: { response: { 200: Type.Object({ applications: Type.Array(Application) }) } },
})

export const createApplication = operation({
  operationId: 'createApplication',
  summary: 'Create an application; its secret is shown once',
  method: 'POST',
  url: '/applications',
  base: '/manage/v1',
  noun: 'applications',
  config: administering('The application could not be created'),
  schema: {
    body: Type.Object({
      userId: Id,
      name: Type.String({ maxLength: 200, default: '' }),
      scope: oneOf(['read', 'operate', 'admin'], { default: 'read' }),
    }),
    response: { 200: ApplicationSecret },
  },
})

export const changeApplicationScope = operation({
  operationId: 'changeApplicationScope',
  summary: 'Change the scope of an application, also for its tokens in use',
  method: 'PUT',
  url: '/applications/:appId/scope',
  base: '/manage/v1',
  noun: 'applications',
  config: administering('The scope could not be changed'),
  schema: {
    params,
    body: Type.Object({ scope: Scope }),
    response: { 204: Type.Void() },
  },
})

export const renewApplicationSecret = operation({
  operationId: 'renewApplicationSecret',
  summary: 'Replace the secret of an application; the new one is shown once',
  method: 'POST',
  url: '/applications/:appId/secret',
  base: '/manage/v1',
  noun: 'applications',
  config: administering('The secret could not be replaced'),
  schema: { params, response: { 200: ApplicationSecret } },
})

export const revokeApplication = operation({
  operationId: 'revokeApplication',
  summary: 'Revoke an application and its tokens',
  method: 'POST',
  url: '/applications/:appId/revoke',
  base: '/manage/v1',
  noun: 'applications',
  config: administering('The application could not be revoked'),
  schema: { params, response: { 204: Type.Void() } },
})
