package dev.onlyonce.services;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says of a parameter that {@link Servers} fills that the whole run of tests shares this server. A
 * class neither kills, pauses nor stops it, and uses names of its own in it for topics, queues and
 * groups.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Shared {}
