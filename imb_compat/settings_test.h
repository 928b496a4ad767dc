/* Provides default settings for tests. */
#ifndef IMB_COMPAT_SETTINGS_TEST_H
#define IMB_COMPAT_SETTINGS_TEST_H

#include "imb_compat/settings.h"

/* Returns the settings for a command line that has only the component. */
static inline struct imb_settings imb_settings_default(enum imb_component component)
{
    struct imb_settings settings = imb_defaults;
    settings.component = component;
    settings.npmin = component == IMB_IO ? 1 : 2;
    settings.window_size = component == IMB_MT ? 64 : 256;
    return settings;
}

#endif
