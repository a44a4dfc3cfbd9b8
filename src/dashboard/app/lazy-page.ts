/** Pages whose code is fetched when they are opened. */
import { lazyRouteComponent } from '@tanstack/react-router'
import { api, take } from '../api/client.ts'

/**
 * As lazyRouteComponent, which loads the document again when there is no such file, because a new version has others. Where the appliance
 * does not answer, that would leave nothing but an error of the browser: there, it is an ApiError like any other (`unreachable`).
 */
export function lazyPage<M extends Record<string, unknown>, K extends keyof M> (load: () => Promise<M>, name: K) {
  return lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (cause) {
      await take(api.GET('/api/v1/session/options'))
      throw cause
    }
  }, name)
}
