/** Where the appliance is: a proxy may publish it in a folder. The files of the page are one folder below, in assets/. */

/** The path of the appliance as browsers see it, without a slash at the end: '' or, for example, '/steno'. */
export const BASE = new URL(import.meta.url).pathname.split('/').slice(0, -2).join('/')
